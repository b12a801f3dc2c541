export interface PageQuery {
  /** `next` of the page before. */
  readonly after?: string
  readonly limit?: number
}
