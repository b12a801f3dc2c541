/** A page to try the API, without external resources. Content is inserted as text, never as HTML. */
export const page: string = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Holdpoint gateway</title>
    <link rel="stylesheet" href="/api/docs.css" />
    <script src="/api/docs.js" defer></script>
  </head>
  <body>
    <header>
      <h1>Holdpoint gateway</h1>
      <label>Key <input id="key" type="password" autocomplete="off" placeholder="hp_…" /></label>
      <a href="/api/openapi.json">openapi.json</a>
    </header>
    <main id="routes"></main>
  </body>
</html>
`

export const style: string = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap; }
header input { width: 24rem; max-width: 100%; }
details { border: 1px solid #8884; border-radius: 6px; margin: 0.4rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; }
summary b { display: inline-block; width: 4.5rem; }
label { display: block; margin: 0.3rem 0; }
textarea { width: 100%; min-height: 6rem; font-family: ui-monospace, monospace; }
pre { overflow: auto; max-height: 30rem; background: #8881; padding: 0.6rem; }
`

export const script: string = `
const make = (tag, text, parent) => {
  const element = document.createElement(tag)
  if (text !== undefined) element.textContent = text
  parent?.append(element)
  return element
}
const field = (name, hint, parent) => {
  const label = make('label', name + ' ', parent)
  const input = make('input', undefined, label)
  input.placeholder = hint ?? ''
  return input
}
const skeleton = (schema, all) => {
  const real = schema?.$ref ? all[schema.$ref.split('/').at(-1)] : schema
  if (real?.type !== 'object') return {}
  return Object.fromEntries((real.required ?? []).map((name) => {
    const { type, enum: words } = real.properties?.[name] ?? {}
    return [name, words ? words[0] : type === 'array' ? [] : type === 'number' || type === 'integer' ? 0 : '']
  }))
}
async function call(route, inputs, body, out) {
  let path = route.path
  const query = new URLSearchParams()
  for (const [{ name, in: where }, input] of inputs) {
    if (where === 'path') path = path.replace('{' + name + '}', encodeURIComponent(input.value))
    if (where === 'query' && input.value !== '') query.set(name, input.value)
  }
  const headers = { accept: 'application/json' }
  const key = document.getElementById('key').value
  if (key) headers.authorization = 'Bearer ' + key
  for (const [{ name, in: where }, input] of inputs) if (where === 'header' && input.value) headers[name] = input.value
  if (body) headers['content-type'] = 'application/json'
  const url = path + (query.size > 0 ? '?' + query : '')
  const response = await fetch(url, { method: route.method.toUpperCase(), headers, body: body?.value })
  const text = await response.text()
  let shown = text
  try { shown = JSON.stringify(JSON.parse(text), null, 2) } catch {}
  out.textContent = response.status + ' ' + url + '\\n' + shown
}
function draw(route, all, parent) {
  const box = make('details', undefined, parent)
  const head = make('summary', undefined, box)
  make('b', route.method.toUpperCase(), head)
  make('code', route.path, head)
  make('p', route.summary, box)
  const scopes = route.security?.[0]?.bearer
  if (scopes) make('p', 'Scope: ' + scopes.join(' or '), box)
  const inputs = (route.parameters ?? []).map((each) => [each, field(each.name + ' (' + each.in + ')', each.description, box)])
  const schema = route.requestBody?.content?.['application/json']?.schema
  const body = schema && make('textarea', undefined, box)
  if (body) body.value = JSON.stringify(skeleton(schema, all), null, 2)
  const button = make('button', 'Send', box)
  const out = make('pre', '', box)
  button.addEventListener('click', () => call(route, inputs, body, out).catch((error) => { out.textContent = String(error) }))
}
fetch('/api/openapi.json').then((response) => response.json()).then((spec) => {
  const main = document.getElementById('routes')
  for (const [path, methods] of Object.entries(spec.paths))
    for (const [method, route] of Object.entries(methods)) draw({ ...route, path, method }, spec.components?.schemas ?? {}, main)
})
`
