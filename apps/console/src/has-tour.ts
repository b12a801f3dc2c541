/** Whether the gateway serves the demo. Agents elsewhere may have the same names. */
export const hasTour: boolean = document.documentElement.dataset['tour'] !== undefined
