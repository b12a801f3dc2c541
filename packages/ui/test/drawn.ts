/** A document for React to draw in. It has no ResizeObserver, like the test environment of many projects. */
import { Window } from 'happy-dom'
import { onTestFinished } from 'vitest'

const window = new Window()
Object.assign(globalThis, {
  window,
  document: window.document,
  requestAnimationFrame: window.requestAnimationFrame.bind(window),
  cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
  getComputedStyle: window.getComputedStyle.bind(window),
  IS_REACT_ACT_ENVIRONMENT: true,
})

// React looks for a document when it is loaded, so it is imported after the document is set.
const { createRoot } = await import('react-dom/client')
const { act } = await import('react')

export { act }

/** Draws an element, and removes it at the end of the test. */
export async function draw(
  element: React.ReactNode,
): Promise<{ readonly text: () => string; redraw(element: React.ReactNode): Promise<void> }> {
  const place = document.createElement('div')
  document.body.append(place)
  const root = createRoot(place)
  await act(async () => root.render(element))
  onTestFinished(async () => {
    await act(async () => root.unmount())
    place.remove()
  })
  return { text: () => place.textContent ?? '', redraw: (next) => act(async () => root.render(next)) }
}
