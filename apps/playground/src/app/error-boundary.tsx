import { Component, type ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** What stands in the place of a part that could not be drawn. */
  fallback: ReactNode
  children: ReactNode
}

/** Keeps a part that cannot be drawn from taking the page with it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state: { hasFailed: boolean } = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
