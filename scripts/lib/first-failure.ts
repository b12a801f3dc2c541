/** Turns off shrinking: for a mutant it is enough that a property fails. */
import fc from 'fast-check'

fc.configureGlobal({ endOnFailure: true })
