export interface Agent {
  readonly name: string
}
