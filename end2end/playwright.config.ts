// The browser tests: real Chromium against a running installation (see scripts/layers/e2e.sh), one worker: they share it.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  outputDir: './test-results',
  timeout: 180_000,
  // What is thoroughly broken says so soon, with the first failures, instead of trying everything at length.
  globalTimeout: 40 * 60_000,
  maxFailures: 8,
  expect: { timeout: 15_000 },
  workers: 1,
  retries: 0,
  use: {
    baseURL: process.env.OCC_URL ?? 'http://127.0.0.1:7171',
    screenshot: 'only-on-failure',
    // Without the film: taking it keeps a core busy, which the gateways need.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      timeout: 60_000,
      executablePath: process.env.OCC_CHROMIUM ?? '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
        '--disable-component-update', '--disable-sync'],
    },
  },
});
