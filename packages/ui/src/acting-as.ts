import { createContext } from 'react'

/** The person who answers, if the credential may act for other people. Files of an answer are uploaded for this person. */
export const ActingAsContext: React.Context<string | undefined> = createContext<string | undefined>(undefined)
