import { finishSignIn } from '@turnloop/mcp'

// Where a server sends the person back to. It hands the answer to the page that asked, and closes itself.
const finished = finishSignIn()
const words = document.getElementById('words')
if (words !== null) {
  words.textContent =
    finished === undefined
      ? 'There is nothing to finish here. You can close this window.'
      : finished.error === undefined
        ? 'You are signed in. You can close this window.'
        : 'The sign-in did not work. Close this window, and look at the settings.'
}
