import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** Family name of the font, whose widths are those of Helvetica; see `text.ts`. */
const FAMILY = 'Arimo'

/** Pixels of an image per pixel of its chart, for screens with a high density. */
const DENSITY = 2
/**
 * Largest image, pixels; 4 million take 16 MB, and as much again during compression. A larger chart
 * gets a lower density.
 */
const MAX_PIXELS = 4_000_000

/** Loads the renderer, a module or bytes. Call it once per isolate, before `rasterize`. */
export const startRaster = (renderer: WebAssembly.Module | BufferSource): Promise<void> =>
  initWasm(renderer)

/**
 * Draws an SVG as a PNG, the same bytes on every machine.
 * @param fonts the files of the font, regular and semi-bold
 */
export function rasterize(svg: string, fonts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const drawing = new Resvg(withSimpleEmoji(svg), {
    fitTo: { mode: 'zoom', value: densityOf(svg) },
    font: { fontBuffers: fonts, defaultFontFamily: FAMILY, sansSerifFamily: FAMILY }
  })
  try {
    const image = drawing.render()
    try {
      return new Uint8Array(image.asPng())
    } finally {
      image.free()
    }
  } finally {
    drawing.free()
  }
}

/**
 * Replaces each emoji by one box: the font has none, and the renderer would draw the boxes of a
 * sequence such as 👩‍👩‍👧‍👦 over the text that follows.
 */
export const withSimpleEmoji = (svg: string): string =>
  svg.replaceAll(/\p{RGI_Emoji}/gv, '□').replaceAll(/[\u200d\ufe00-\ufe0f]/g, '')

/**
 * Returns the image's pixels per pixel of the SVG. The SVG must have `width` next to `height`, in
 * whole pixels, as `drawDocument` writes them.
 */
function densityOf(svg: string): number {
  const [, width, height] = /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(svg) ?? []
  return Math.min(DENSITY, Math.sqrt(MAX_PIXELS / (Number(width) * Number(height))))
}
