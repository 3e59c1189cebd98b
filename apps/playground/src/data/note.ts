/** A note that was kept. */
export interface Note {
  readonly id: string
  readonly text: string
  /** Epoch ms. */
  readonly createdAt: number
}
