import { type ReactElement, useEffect } from 'react'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { useTurn } from '../app/use-turn.ts'
import { ChartFigure } from './chart/chart-figure.tsx'
import { preloadPlot } from './chart/plot-view.tsx'
import { readChartAnswer } from './tool-answers.ts'
import { useWholeResult } from './use-whole-result.ts'

/** What a call brought that is an answer by itself: a chart. Everything else is told by the model. */
export function ToolAnswer({ callId }: { callId: string }): ReactElement | null {
  const { toolName, result } = useTurn((turn) => {
    const call = turn.calls.get(callId)
    return { toolName: call?.toolName, result: call?.result }
  })
  useEffect(() => {
    if (toolName === 'draw_chart') preloadPlot()
  }, [toolName])
  const whole = useWholeResult(toolName === 'draw_chart' ? result : undefined)
  if (whole === undefined) return null
  const answer = readChartAnswer(whole.result)
  if (answer === undefined) return null
  return (
    <ErrorBoundary fallback={<p>This chart cannot be drawn. Its rows are in the result of the call above.</p>}>
      <ChartFigure answer={answer} />
    </ErrorBoundary>
  )
}
