import { path } from '../address.ts'
import { BoardPage } from './board.tsx'
import { BoardsPage } from './list.tsx'

/** The list of dashboards, or the one in the address. */
export const Boards = () => {
  const [, , id] = path.value
  return id === undefined ? <BoardsPage /> : <BoardPage key={id} id={id} />
}
