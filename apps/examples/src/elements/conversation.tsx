import type { HTMLAttributes, ReactNode } from 'react'

// Components in the style of AI Elements: small, unstyled here, and the application's own to change.

/** A transcript, which screen readers follow as it grows. */
export function Conversation({ children, ...props }: HTMLAttributes<HTMLDivElement>) {
  return (
    <div role="log" {...props}>
      {children}
    </div>
  )
}

/** One message. */
export function Message({ from, children }: { from: 'user' | 'assistant' | 'system'; children: ReactNode }) {
  return <article data-from={from}>{children}</article>
}

/** Text as it came. Put a Markdown renderer here. */
export function Response({ children }: { children: string }) {
  return <p>{children}</p>
}

/** What a model thought, folded. */
export function Reasoning({ children }: { children: string }) {
  return (
    <details>
      <summary>Thoughts</summary>
      {children}
    </details>
  )
}
