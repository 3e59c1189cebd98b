/** Carries messages between the pages, or workers, that have a session open. */
export interface SessionChannel {
  /**
   * Hear what others post about a session, in the order of each; nobody hears itself. Throws where there is no channel.
   *
   * Messages are plain data and arrive as copies. `page` is what this end calls itself in them.
   */
  join(sessionId: string, onMessage: (message: unknown) => void, page: string): SessionLine
}

/** One end of a channel. */
export interface SessionLine {
  /** Throws where the message cannot be copied. After `leave` it does nothing. */
  post(message: unknown): void
  leave(): void
}
