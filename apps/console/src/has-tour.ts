/** Whether the gateway serves the demo agents. Other agents may have the same names, so names do not tell. */
export const hasTour: boolean = document.documentElement.dataset['tour'] !== undefined
