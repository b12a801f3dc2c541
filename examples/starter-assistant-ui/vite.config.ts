import { defineConfig } from 'vite'

export default defineConfig({ base: '/app/', oxc: { jsx: { runtime: 'automatic' } } })
