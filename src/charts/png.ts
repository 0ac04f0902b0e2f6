import { rasterize, startRaster } from './raster.ts'

/*
 * The renderer (2.5 MB) and the font (0.6 MB) are modules of their own, loaded by the first PNG of an isolate: a start does
 * not wait for them.
 */

let loaded: Promise<Uint8Array[]> | undefined

/** Draws a chart's SVG as a PNG. */
export async function toPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  loaded ??= load()
  return rasterize(svg, await loaded)
}

/** Starts the renderer. @returns the files of the font */
async function load(): Promise<Uint8Array[]> {
  const [renderer, regular, semiBold] = await Promise.all([
    import('@resvg/resvg-wasm/index_bg.wasm'),
    import('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    import('@expo-google-fonts/arimo/600SemiBold/Arimo_600SemiBold.ttf')
  ])
  await startRaster(renderer.default)
  return [new Uint8Array(regular.default), new Uint8Array(semiBold.default)]
}
