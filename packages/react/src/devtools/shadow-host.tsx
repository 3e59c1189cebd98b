import { type ReactNode, type SyntheticEvent, useCallback, useState } from 'react'
import { createPortal } from 'react-dom'
import { sheetOf } from './style-sheet.ts'

/** Props of `ShadowHost`. */
export interface ShadowHostProps {
  /** `auto`: as the page says it is, or else as the system. */
  theme: 'auto' | 'light' | 'dark'
  children: ReactNode
}

/**
 * Draw children in a shadow root of their own: styles go neither in nor out, and keys and clicks stay inside.
 *
 * The style sheet is constructed, which a content security policy without `unsafe-inline` allows.
 */
export function ShadowHost({ theme, children }: ShadowHostProps): ReactNode {
  const [root, setRoot] = useState<ShadowRoot>()
  const attach = useCallback((host: HTMLElement | null) => {
    if (host === null) return
    // StrictMode attaches twice, and a host has one root for ever.
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    shadow.adoptedStyleSheets = [sheetOf(host.ownerDocument)]
    setRoot(shadow)
  }, [])
  const scheme = theme === 'auto' ? root && pageScheme(root) : theme
  return (
    <div ref={attach} data-turnloop-devtools="">
      {root &&
        createPortal(
          <div className="root" data-scheme={scheme} {...KEPT_INSIDE}>
            {children}
          </div>,
          root,
        )}
    </div>
  )
}

/** `system` where the page does not say which schemes it is made for. */
function pageScheme({ host }: ShadowRoot): string | undefined {
  return getComputedStyle(host).colorScheme === 'normal' ? 'system' : undefined
}

const stop = (event: SyntheticEvent): void => event.stopPropagation()

/** To a page's shortcuts and its "click outside", the panel is not there. */
const KEPT_INSIDE = {
  onKeyDown: stop,
  onKeyUp: stop,
  onClick: stop,
  onPointerDown: stop,
  onMouseDown: stop,
  onChange: stop,
  onInput: stop,
  onSubmit: stop,
  onWheel: stop,
  onPaste: stop,
  onDragEnter: stop,
  onDragOver: stop,
  onDrop: stop,
}
