/** Why a request failed, as a sentence. The message of an error of the gateway begins with a code, for a log. */
export function errorWords(error: Error & { readonly problem?: { readonly detail: string } | undefined }): string {
  return error.problem?.detail ?? error.message
}
