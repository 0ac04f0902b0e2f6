/*
 * The renderer (2.5 MB) and the font (0.6 MB) are separate modules. An isolate loads them for its
 * first PNG, not at its start.
 */

let loaded: Promise<(svg: string) => Uint8Array<ArrayBuffer>> | undefined

/** Draws a chart's SVG as a PNG. */
export async function toPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  loaded ??= load().catch((error) => {
    // The next PNG tries again.
    loaded = undefined
    throw error
  })
  const rasterize = await loaded
  return rasterize(svg)
}

/** Loads the renderer and the font. @returns a function that draws an SVG as a PNG */
async function load(): Promise<(svg: string) => Uint8Array<ArrayBuffer>> {
  const [{ rasterize, startRaster }, renderer, regular, semiBold] = await Promise.all([
    import('./raster.ts'),
    import('@resvg/resvg-wasm/index_bg.wasm'),
    import('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf'),
    import('@expo-google-fonts/arimo/600SemiBold/Arimo_600SemiBold.ttf')
  ])
  await startRaster(renderer.default)
  const fonts = [new Uint8Array(regular.default), new Uint8Array(semiBold.default)]
  return (svg) => rasterize(svg, fonts)
}
