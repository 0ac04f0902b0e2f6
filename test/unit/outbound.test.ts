import { afterAll, describe, expect, it } from 'vitest'
import { checkUrl, OutboundError, sendOutbound } from '../../src/outbound.ts'
import { startReceiver } from '../support/receiver.ts'

const receiver = await startReceiver()
const { url, host, received } = receiver
afterAll(receiver.close)

/** Limits with enough time for any answer, even on a busy machine. */
const limits = { allow: host, timeoutMs: 30_000, maxBytes: 1_000 }
const post = (path: string, headers = {}, more = {}) =>
  sendOutbound(
    { url: `${url}${path}`, method: 'POST', headers, body: 'hello' },
    { ...limits, ...more }
  )

/** Returns the error of a request. */
async function faultOf(request: Promise<unknown>): Promise<[OutboundError['kind'], string]> {
  const error: unknown = await request.catch((thrown) => thrown)
  if (!(error instanceof OutboundError)) {
    throw new Error(`The request did not fail: ${error}`)
  }
  return [error.kind, error.message]
}

const sentTo = (path: string) => received.filter((one) => one.url.startsWith(path))

describe('an address', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?a=1',
    'https://sub.internal.example.com/',
    'https://localhost.example.com/',
    'https://8.8.8.8/',
    'https://172.32.0.1/',
    'https://192.167.255.255/',
    'https://100.128.0.1/',
    'https://223.255.255.255/',
    'https://[2606:4700::1111]/',
    'https://[2001:4860:4860::8888]/',
    'https://bücher.example/'
  ])('may be public: %s', (text) => {
    expect(checkUrl(text, '').protocol).toBe('https:')
  })

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://10.1.2.3/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://169.254.169.254/latest/meta-data',
    'https://2852039166/',
    'https://0xa9fea9fe/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.0.0.192/',
    'https://192.168.1.1/',
    'https://198.19.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:53aa::1]/',
    'https://[2001:db8::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://app.localhost/',
    'https://printer.local/',
    'https://printer.local./',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://intranet/',
    'https://localhost../',
    'https://printer.local../',
    'https://intranet./',
    'https://nas.lan/',
    'https://router.home/',
    'https://git.corp/',
    'https://wiki.intranet/',
    'https://db.default.svc/',
    'https://db.default.svc.cluster.local/',
    'https://localhost.localdomain/'
  ])('may not be private: %s', (text) => {
    expect(() => checkUrl(text, '')).toThrow('This address is in a private network.')
  })

  it.each([
    ['http://example.com/', 'The URL must begin with https://.'],
    ['ftp://example.com/', 'The URL must begin with https://.'],
    ['file:///etc/passwd', 'The URL must begin with https://.'],
    ['javascript:alert(1)', 'The URL must begin with https://.'],
    ['example.com', 'This is not a valid URL.'],
    ['https://', 'This is not a valid URL.'],
    ['https://256.256.256.256/', 'This is not a valid URL.'],
    ['https://[::1/', 'This is not a valid URL.'],
    ['https://user@example.com/', 'A URL must not contain a user name or password.'],
    ['https://u:p@example.com/', 'A URL must not contain a user name or password.'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'A URL may have at most 2048 characters.']
  ])('is refused with the reason: %s', (text, why) => {
    expect(() => checkUrl(text, '')).toThrow(why)
  })

  it.each([
    ['http://127.0.0.1:9000/', '127.0.0.1:9000'],
    ['http://127.0.0.1:9000/', 'models.internal, 127.0.0.1'],
    ['https://models.internal/v1', 'Models.Internal'],
    ['http://[::1]:80/', '[::1]']
  ])('is allowed if its host is listed: %s in %s', (text, allow) => {
    expect(checkUrl(text, allow).href).toBe(new URL(text).href)
  })

  it.each([
    ['http://127.0.0.1:9001/', '127.0.0.1:9000'],
    ['http://127.0.0.1/', ''],
    ['http://x.models.internal/', 'models.internal'],
    ['ftp://127.0.0.1/', '127.0.0.1']
  ])('is refused if its scheme, host or port is not allowed: %s by "%s"', (text, allow) => {
    expect(() => checkUrl(text, allow)).toThrow(OutboundError)
  })
})

describe('a request', () => {
  it('returns its answer, whatever the status', async () => {
    const { status, headers, body } = await post('/status/418?say=teapot&Retry-After=7', {
      'X-Sent': '1'
    })

    expect([status, headers.get('Retry-After'), new TextDecoder().decode(body)]).toEqual([
      418,
      '7',
      'teapot'
    ])
    expect(sentTo('/status/418')).toMatchObject([
      { method: 'POST', body: 'hello', headers: { 'x-sent': '1' } }
    ])
  })

  it.each([
    ['/silent', 'timeout', 'The server did not respond within 0.5 s.'],
    ['/stalls', 'timeout', 'The server did not respond within 0.5 s.'],
    ['/cut', 'unreachable', 'The server cannot be reached, or closed the connection.'],
    ['/garbage', 'unreachable', 'The server cannot be reached, or closed the connection.'],
    ['/endless', 'too_large', 'The response is larger than 1000 bytes.']
  ])('fails in time when the server misbehaves: %s', async (path, kind, message) => {
    const more = kind === 'timeout' ? { timeoutMs: 500 } : {}
    expect(await faultOf(post(path, {}, more))).toEqual([kind, message])
  })

  it('fails when nobody listens', async () => {
    const gone = await startReceiver()
    gone.close()

    const request = sendOutbound({ url: gone.url, method: 'GET' }, { ...limits, allow: gone.host })

    expect((await faultOf(request))[0]).toBe('unreachable')
  })

  it.each([301, 302, 307, 308])('is repeated at the target of a %i', async (status) => {
    const answer = await post(`/status/${status}?Location=/status/201?from=${status}`)

    expect(answer.status).toBe(201)
    expect(sentTo(`/status/201?from=${status}`)).toMatchObject([{ method: 'POST', body: 'hello' }])
  })

  it('becomes a GET at the target of a 303', async () => {
    expect((await post('/status/303?Location=/status/202?from=303')).status).toBe(202)
    expect(sentTo('/status/202?from=303')).toMatchObject([{ method: 'GET', body: '' }])
  })

  it('follows three redirects but not a fourth', async () => {
    const chain = (n: number): string =>
      n === 0 ? '/end' : `/status/307?Location=${encodeURIComponent(chain(n - 1))}`

    expect((await post(chain(3))).status).toBe(200)
    expect(await faultOf(post(chain(4)))).toEqual([
      'refused',
      'The server redirects more than 3 times.'
    ])
  })

  it.each([
    'https://169.254.169.254/',
    'http://example.com/',
    '//10.0.0.1/',
    'https://[::ffff:127.0.0.1]/'
  ])('is not redirected to %s', async (to) => {
    expect((await faultOf(post(`/status/302?Location=${encodeURIComponent(to)}`)))[0]).toBe(
      'refused'
    )
  })

  it('does not send its credentials to another origin', async () => {
    const other = await startReceiver()
    const to = encodeURIComponent(`${other.url}/other`)
    await post(
      `/status/307?Location=${to}`,
      { Authorization: 'Bearer secret', 'X-Kept': '1' },
      { allow: '127.0.0.1' }
    )
    other.close()

    expect(other.received).toMatchObject([
      { method: 'POST', body: 'hello', headers: { 'x-kept': '1' } }
    ])
    expect(other.received[0]?.headers.authorization).toBeUndefined()
  })
})
