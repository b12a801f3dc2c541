/** Whether the gateway serves the demo agents. Other agents may have the same names, so the names do not show it. */
export const hasTour: boolean = document.documentElement.dataset['tour'] !== undefined
