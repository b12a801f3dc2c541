export { telegramChannel, type TelegramOptions } from './telegram-channel.ts'
