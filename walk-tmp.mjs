import { chromium } from 'playwright-core'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage()
page.on('pageerror', e => console.log('PAGEERROR', e.message)); page.on('console', m => m.type() === 'error' && console.log('CONSOLE', m.text()))
await page.goto(process.argv[2]); 
await page.getByLabel('Message').fill('I want my money back'); await page.getByRole('button', { name: 'Send' }).click()
await page.getByRole('button', { name: /^Approve/ }).click({ timeout: 20000 })
await page.getByText('You have your money back.').waitFor({ timeout: 20000 })
await page.waitForTimeout(1500)
console.log(await page.locator('body').innerText())
await page.screenshot({ path: '/tmp/h4-walk/guide.png' })
await browser.close()
