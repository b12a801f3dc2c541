/** For mutants it is enough that a property fails: nobody reads the smallest way to make it fail. */
import fc from 'fast-check'

fc.configureGlobal({ endOnFailure: true })
