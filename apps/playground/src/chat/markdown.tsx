import { isValidElement, type ReactElement, type ReactNode, useState } from 'react'
import { type Components, defaultRehypePlugins, Streamdown } from 'streamdown'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { alignFigures } from './align-figures.ts'
import { CopyButton } from './copy-button.tsx'
import styles from './markdown.module.css'

/**
 * A reply's text as Markdown, also while it is still being written.
 *
 * HTML in it stays text: the plugin that would read it is left out, and what remains is sanitised all the same. Links
 * open beside the page and tell nothing of it. A picture is fetched only when someone asks for it, because its address
 * can carry away what the conversation knows.
 */
export function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }): ReactElement {
  return (
    <div className={styles.prose}>
      <Streamdown
        mode={isGrowing ? 'streaming' : 'static'}
        parseIncompleteMarkdown={isGrowing}
        rehypePlugins={REHYPE_PLUGINS}
        components={COMPONENTS}
        controls={false}
        linkSafety={{ enabled: false }}
      >
        {text}
      </Streamdown>
    </div>
  )
}

const REHYPE_PLUGINS = [defaultRehypePlugins.sanitize, defaultRehypePlugins.harden, alignFigures].filter(
  (plugin) => plugin !== undefined,
)

// Plain elements everywhere: the library's own components are made for another way of styling.
const COMPONENTS: Components = {
  // Below the heading of the turn. Models begin with the second level as often as with the first.
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h4',
  h5: 'h4',
  h6: 'h4',
  p: 'p',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  strong: 'strong',
  blockquote: 'blockquote',
  hr: 'hr',
  section: 'section',
  sub: 'sub',
  sup: 'sup',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
  inlineCode: ({ children }) => <code>{children}</code>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <Picture source={typeof src === 'string' ? src : ''} alternative={alt ?? ''} />,
  table: ({ children }) => (
    <ScrollRegion name="Table" className={styles.table}>
      <table>{children}</table>
    </ScrollRegion>
  ),
  pre: ({ children }) => (
    <div className={styles.code}>
      <ScrollRegion name="Code" className={styles.pre}>
        <pre>{children}</pre>
      </ScrollRegion>
      <span className={styles.copy}>
        <CopyButton label="Copy code" text={() => textOf(children)} />
      </span>
    </div>
  ),
}

function Picture({ source, alternative }: { source: string; alternative: string }): ReactElement {
  const [isWanted, setWanted] = useState(source.startsWith('data:image/'))
  if (isWanted) return <img className={styles.picture} src={source} alt={alternative} />
  return (
    <button type="button" className={styles.withheld} onClick={() => setWanted(true)}>
      Show picture{alternative && `: ${alternative}`} <span>{hostOf(source)}</span>
    </button>
  )
}

function hostOf(source: string): string {
  return URL.canParse(source) ? `from ${new URL(source).host}` : ''
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string') return children
  if (Array.isArray(children)) return children.map(textOf).join('')
  return isValidElement<{ children?: ReactNode }>(children) ? textOf(children.props.children) : ''
}
