export type SignInReason =
  /** The provider cannot be reached, or its metadata cannot be used. */
  | 'openid-unreachable'
  /** The callback does not belong to a sign-in that this browser started. */
  | 'openid-state'
  /** The person declined, or the provider refused. */
  | 'openid-denied'
  /** The provider did not accept the code. */
  | 'openid-exchange'
  | 'openid-nonce'
  | 'openid-claims'
  /** None of the person's groups has a scope. */
  | 'openid-scope'
  /** The provider does not confirm a person who has a session. */
  | 'openid-ended'

/** A sign-in that failed. The operator sees the reason and the message; the person only sees what they can do. */
export class RefusedSignIn extends Error {
  readonly reason: SignInReason

  constructor(reason: SignInReason, message: string) {
    super(message)
    this.reason = reason
  }
}
