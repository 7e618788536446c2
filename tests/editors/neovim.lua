-- Run by Neovim itself. Environment: POSTIL, ROOT, ENCODING (a position encoding to insist on, or nothing).
-- Prints one line a check; exits 1 on a failure.
local failed = 0
local function check(name, ok, info)
  if not ok then failed = failed + 1 end
  io.stdout:write((ok and 'ok   ' or 'FAIL ') .. name .. (info and (': ' .. tostring(info)) or '') .. '\n')
end

local function wait(condition) return vim.wait(20000, condition, 20) end

local function body()
  vim.o.swapfile = false
  vim.cmd('edit ' .. vim.env.ROOT .. '/pay.py')
  local buffer = vim.api.nvim_get_current_buf()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  if vim.env.ENCODING ~= '' then capabilities.general.positionEncodings = { vim.env.ENCODING } end
  local id = vim.lsp.start({
    name = 'postil', cmd = { vim.env.POSTIL, 'lsp' }, root_dir = vim.env.ROOT,
    capabilities = capabilities, init_options = { lens = true },
  })
  wait(function()
    local client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized
  end)
  local client = vim.lsp.get_client_by_id(id)
  check('attached', client ~= nil, client and client.offset_encoding)

  vim.lsp.codelens.refresh({ bufnr = buffer })
  local lenses = {}
  wait(function() lenses = vim.lsp.codelens.get(buffer); return #lenses > 0 end)
  check('lens', #lenses == 1 and lenses[1].command.title:find('1 decision') ~= nil, lenses[1] and lenses[1].command.title)

  vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  local hints = {}
  wait(function() hints = vim.lsp.inlay_hint.get({ bufnr = buffer }); return #hints > 0 end)
  check('inlay', #hints == 1 and hints[1].inlay_hint.label == '⚖1', hints[1] and vim.inspect(hints[1].inlay_hint.label))

  -- The call stands behind two emoji.
  local line = vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1]
  vim.api.nvim_win_set_cursor(0, { 5, line:find('charge', 1, true) + 1 })
  vim.lsp.buf.hover()
  local shown
  wait(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        shown = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
    return shown ~= nil
  end)
  check('hover', shown ~= nil and shown:find('Retries are off', 1, true) ~= nil, shown)

  local problems = {}
  wait(function() problems = vim.diagnostic.get(buffer); return #problems > 0 end)
  check('diagnostic', #problems == 1 and problems[1].message:find('No parties') ~= nil, problems[1] and problems[1].message)

  local symbols = vim.lsp.buf_request_sync(buffer, 'textDocument/documentSymbol', { textDocument = { uri = vim.uri_from_bufnr(buffer) } }, 10000)
  check('symbols', symbols[id].result[1].name == 'charge', symbols[id].result[1].name)
  symbols = vim.lsp.buf_request_sync(buffer, 'workspace/symbol', { query = 'charge' }, 10000)
  check('workspace symbols', symbols[id].result[1].name == 'charge')

  vim.api.nvim_win_set_cursor(0, { 4, 3 })
  local told
  local notify = vim.lsp.handlers['window/showMessage']
  vim.lsp.handlers['window/showMessage'] = function(_, result, ...) told = result.message; if notify then notify(_, result, ...) end end
  vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title:find('remember') ~= nil end })
  wait(function() return told ~= nil end)
  check('remember', told ~= nil and told:find('whole cents') ~= nil, told)

  client:stop()
  wait(function() return vim.lsp.get_client_by_id(id) == nil end)
  check('stopped', vim.lsp.get_client_by_id(id) == nil)
end

local ok, err = xpcall(body, debug.traceback)
if not ok then check('no error', false, err) end
vim.cmd(failed > 0 and 'cquit 1' or 'qall!')
