import { FIRST_PICTURE } from './sound.ts'

/*
 * Draws the pictures that a recorder took of a canvas. A recorded canvas has commands, of which only the recorder's own are
 * carried out, which show a picture: any other could be forged.
 */

type Members = Record<string, unknown>

/** A picture, and where the recorder draws it: left, top, width and height. */
type Picture = { blob: Blob; box: number[] }

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** The pictures to be drawn next. */
const waiting = new WeakMap<HTMLCanvasElement, Picture>()
const drawing = new WeakSet<HTMLCanvasElement>()

/** Returns the picture that a change of a canvas shows, or undefined if it has other commands. */
export function pictureOf(change: Members): Picture | undefined {
  const commands = [change.commands].flat().filter(isMembers)
  const [draw, ...others] = commands.filter(({ property }) => property !== 'clearRect')
  const [bitmap, ...box] = [draw?.args].flat()
  const blob = draw?.property === 'drawImage' && others.length === 0 && blobOf(bitmap)
  return blob
    ? { blob, box: box.filter((number) => Number.isFinite(number)) as number[] }
    : undefined
}

/** `{ rr_type: 'ImageBitmap', args: [{ rr_type: 'Blob', type: 'image/webp', data: [{ base64 }] }] }` */
function blobOf(bitmap: unknown): Blob | undefined {
  const [blob] = isMembers(bitmap) && bitmap.rr_type === 'ImageBitmap' ? [bitmap.args].flat() : []
  const [data] = isMembers(blob) && blob.rr_type === 'Blob' ? [blob.data].flat() : []
  const isPicture = isMembers(blob) && /^image\/(png|jpeg|webp|avif)$/.test(String(blob.type))
  return isPicture && isMembers(data) ? toBlob(String(data.base64), String(blob.type)) : undefined
}

function toBlob(base64: string, type: string): Blob | undefined {
  try {
    return new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type })
  } catch {
    return undefined
  }
}

/** Returns the picture that a canvas has from the beginning: `data:image/png;base64,…` */
export function firstPictureOf(canvas: HTMLCanvasElement): Picture | undefined {
  const address = canvas.getAttribute(FIRST_PICTURE) ?? ''
  const [, type, base64] = /^data:(image\/(?:png|jpeg|webp));base64,(.+)$/.exec(address) ?? []
  const blob = type && base64 ? toBlob(base64, type) : undefined
  return blob && { blob, box: [] }
}

/**
 * Draws a picture on a canvas. Unpacking takes a while: while one picture is unpacked, only the latest of those that come is
 * kept, so that the last one stays.
 */
export async function draw(
  canvas: HTMLCanvasElement,
  picture: Picture,
  fail: (error: unknown) => void
) {
  waiting.set(canvas, picture)
  if (drawing.has(canvas)) {
    return
  }
  drawing.add(canvas)
  for (let next = waiting.get(canvas); next; next = waiting.get(canvas)) {
    waiting.delete(canvas)
    try {
      await paint(canvas, next)
    } catch (error) {
      fail(error)
    }
  }
  drawing.delete(canvas)
}

async function paint(canvas: HTMLCanvasElement, { blob, box }: Picture): Promise<void> {
  const bitmap = await createImageBitmap(blob)
  const [left = 0, top = 0, width = bitmap.width, height = bitmap.height] = box
  const context = canvas.getContext('2d')
  context?.clearRect(0, 0, canvas.width, canvas.height)
  context?.drawImage(bitmap, left, top, width, height)
  bitmap.close()
}
