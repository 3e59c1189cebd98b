import { lazy, type ReactElement, Suspense } from 'react'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import styles from './reply-text.module.css'

const loadMarkdown = () => import('./markdown.tsx')
const Markdown = lazy(async () => ({ default: (await loadMarkdown()).Markdown }))

/** Fetch the Markdown renderer before it is needed: a third of the page's code, and nothing that the first view shows. */
export function preloadMarkdown(): void {
  // A failure shows when a reply is drawn, and is tried again there.
  loadMarkdown().catch(() => {})
}

/** The text of a reply. Until its renderer is there, or if it fails, the text is shown as it was written. */
export function ReplyText({ text, isGrowing }: { text: string; isGrowing: boolean }): ReactElement {
  const plain = <p className={styles.plain}>{text}</p>
  return (
    <ErrorBoundary fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} isGrowing={isGrowing} />
      </Suspense>
    </ErrorBoundary>
  )
}
