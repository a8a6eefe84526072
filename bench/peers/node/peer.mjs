// Reads a result file, or every .xml file below a folder, with a library that others use, and prints how many tests
// it found: node peer.mjs READER PATH
import fs from 'node:fs'
import path from 'node:path'

// testcases counts the test cases of what a parser made of a document.
function testcases(value) {
  let n = 0
  const stack = [value]
  while (stack.length > 0) {
    const v = stack.pop()
    if (Array.isArray(v)) {
      for (const one of v) stack.push(one)
    } else if (v !== null && typeof v === 'object') {
      for (const [key, inner] of Object.entries(v)) {
        if (key === 'testcase') n += Array.isArray(inner) ? inner.length : 1
        else stack.push(inner)
      }
    }
  }
  return n
}

// perFile makes a reader of a folder's files of one that reads a text.
function perFile(read) {
  return async (at) => {
    const files = fs.statSync(at).isDirectory()
      ? fs.readdirSync(at, { recursive: true }).filter((f) => f.endsWith('.xml')).map((f) => path.join(at, f))
      : [at]
    let n = 0
    for (const f of files) n += await read(fs.readFileSync(f, 'utf8'), f)
    return n
  }
}

const readers = {
  // The parser that dorny/test-reporter is built on.
  async xml2js() {
    const { parseStringPromise } = await import('xml2js')
    return perFile(async (text) => testcases(await parseStringPromise(text)))
  },
  // The parser that mikepenz/action-junit-report is built on.
  async 'xml-js'() {
    const { default: xmljs } = await import('xml-js')
    return perFile((text) => testcases(xmljs.xml2js(text, { compact: true })))
  },
  async 'fast-xml-parser'() {
    const { XMLParser } = await import('fast-xml-parser')
    return perFile((text) => testcases(new XMLParser({ ignoreAttributes: false, processEntities: true }).parse(text)))
  },
  async 'JSON.parse'() {
    return perFile((text) => JSON.parse(text).results.tests.length)
  },
  async 'tap-parser'() {
    const { Parser } = await import('tap-parser')
    return (at) => new Promise((resolve, reject) => {
      let n = 0
      const parser = new Parser()
      parser.on('assert', () => n++)
      parser.on('complete', () => resolve(n))
      fs.createReadStream(at).on('error', reject).pipe(parser)
    })
  },
  async 'fast-glob'() {
    const { default: glob } = await import('fast-glob')
    return async (at) => (await glob('**/*.result', { cwd: at })).length
  },
  async '@actions/glob'() {
    const { create } = await import('@actions/glob')
    return async (at) => {
      const write = process.stdout.write
      process.stdout.write = () => true // it prints every folder for the runner's debug log
      try {
        return (await (await create(path.join(at, '**/*.result'))).glob()).length
      } finally {
        process.stdout.write = write
      }
    }
  },
}

const [name, at] = process.argv.slice(2)
if (at === undefined || !Object.hasOwn(readers, name)) {
  console.error('usage: node peer.mjs READER PATH')
  process.exit(2)
}
console.log('tests', await (await readers[name]())(at))
