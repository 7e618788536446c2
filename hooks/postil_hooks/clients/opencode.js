// Postil for opencode: hands events to the hook program, and to the model what comes back.
// COMMAND is filled in when it is installed; whatever fails, opencode goes on as if this were not there.
import { spawn } from "node:child_process"

const COMMAND = ["{postil-hook}"]
const DEADLINE = 5000

function ask(directory, event, payload) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "opencode", event], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => child.kill(), DEADLINE)
    let out = ""
    const end = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(out).context ?? "")
      } catch {
        resolve("")
      }
    }
    child.stdout.on("data", (part) => (out += part))
    child.stdin.on("error", () => {})
    child.on("error", end)
    child.on("close", end)
    child.stdin.end(JSON.stringify({ folder: directory, ...payload }))
  })
}

export const Postil = async ({ directory }) => {
  const sessions = new Map()
  const known = (id) => {
    if (!sessions.has(id)) sessions.set(id, { brief: null, notes: "", prompt: "", answers: new Map(), roles: new Map() })
    return sessions.get(id)
  }
  const started = async (id) => {
    const session = known(id)
    session.brief ??= ask(directory, "session.created", { session: id, source: "startup" })
    return session.brief
  }
  return {
    event: async ({ event }) => {
      const told = event.properties ?? {}
      if (event.type === "message.updated" && told.info) {
        known(told.info.sessionID).roles.set(told.info.id, told.info.role)
      } else if (event.type === "message.part.updated" && told.part?.type === "text") {
        known(told.part.sessionID).answers.set(told.part.id, told.part)
      } else if (event.type === "session.idle") {
        const session = known(told.sessionID)
        const answer = [...session.answers.values()]
          .filter((part) => session.roles.get(part.messageID) === "assistant")
          .map((part) => part.text)
          .join("\n")
        const turn = { session: told.sessionID, prompt: session.prompt, answer }
        session.answers.clear()
        session.prompt = ""
        if (turn.prompt || answer) await ask(directory, "session.idle", turn)
      }
    },
    "chat.message": async (input, output) => {
      const session = known(input.sessionID)
      session.prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      await started(input.sessionID)
      session.notes = await ask(directory, "chat.message", { session: input.sessionID, prompt: session.prompt })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return
      const brief = await started(input.sessionID)
      const notes = known(input.sessionID).notes
      output.system.push(...[brief, notes].filter(Boolean))
    },
    "tool.execute.after": async (input, output) => {
      const payload = { session: input.sessionID, tool: input.tool, args: input.args ?? {} }
      const notes = await ask(directory, "tool.execute.after", payload)
      if (notes && typeof output.output === "string") output.output += `\n\n${notes}`
    },
    "experimental.session.compacting": async (input, output) => {
      const keep = await ask(directory, "session.compacting", { session: input.sessionID })
      if (keep) output.context.push(keep)
      sessions.delete(input.sessionID)
    },
  }
}
