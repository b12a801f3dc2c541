/** How many autonomous agents there are. It has its own file, because the gateway refuses unknown exports of app.ts. */
export const AGENTS = 5
