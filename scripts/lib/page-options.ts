/** The compiler options of a new Vite project with React. The components that we copy must compile with them. */
export const pageOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  jsx: 'react-jsx',
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  verbatimModuleSyntax: true,
  moduleDetection: 'force',
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  noFallthroughCasesInSwitch: true,
  // An imported style has no types.
  noUncheckedSideEffectImports: false,
} as const
