/** For mutants it is enough that a property fails: no one needs the smallest counterexample. */
import fc from 'fast-check'

fc.configureGlobal({ endOnFailure: true })
