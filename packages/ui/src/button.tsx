import type { ComponentProps, ReactNode } from 'react'

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'quiet' | 'strong' | 'ok' | 'destructive'
  readonly small?: boolean
}

const LOOKS: Readonly<Record<NonNullable<ButtonProps['look']>, string>> = {
  plain: 'border border-input bg-card text-foreground hover:bg-accent',
  quiet: 'text-muted-foreground hover:bg-accent hover:text-foreground',
  strong: 'bg-primary text-primary-foreground hover:opacity-90',
  ok: 'bg-ok text-background hover:opacity-90',
  destructive: 'border border-destructive/50 bg-card text-destructive hover:bg-destructive/10',
}

export function Button({ look = 'plain', small = false, className = '', ...rest }: ButtonProps): ReactNode {
  const size = small ? 'h-7 px-2.5 text-xs' : 'h-8 px-3.5 text-sm'
  return (
    <button
      type="button"
      dir="auto"
      {...rest}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-offset-1 focus-visible:ring-offset-background disabled:pointer-events-none disabled:opacity-50 aria-disabled:opacity-50 ${size} ${LOOKS[look]} ${className}`}
    />
  )
}
