/** What agents may ask of this page, by the names their tools have. */
import type { ToolsOfClient } from '@holdpoint/client'

export const pageTools: ToolsOfClient = {
  'browser.time_zone': {
    run: () => {
      const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions()
      return { timeZone, locale, time: new Date().toLocaleTimeString(locale) }
    },
  },
}
