/** Returns width and height of a PNG, from its header. */
export function sizeOf(png: Uint8Array): [width: number, height: number] {
  const header = new DataView(png.buffer, png.byteOffset)
  return [header.getUint32(16), header.getUint32(20)]
}
