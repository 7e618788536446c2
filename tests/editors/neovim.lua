-- Run by Neovim itself. Environment: POSTIL, ROOT. Prints one line a check; exits 1 on a failure.
local failed = 0
local function check(name, ok, info)
  if not ok then failed = failed + 1 end
  io.stdout:write((ok and 'ok   ' or 'FAIL ') .. name .. (info and (': ' .. tostring(info)) or '') .. '\n')
end

local function body()
  vim.o.swapfile = false
  vim.cmd('edit ' .. vim.env.ROOT .. '/pay.py')
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start({ name = 'postil', cmd = { vim.env.POSTIL, 'lsp' }, root_dir = vim.env.ROOT })
  vim.wait(20000, function()
    local client = vim.lsp.get_client_by_id(id)
    return client ~= nil and client.initialized and client.server_capabilities.hoverProvider ~= nil
  end, 20)
  local client = vim.lsp.get_client_by_id(id)
  check('attached', client ~= nil, client and client.offset_encoding)

  vim.lsp.codelens.refresh({ bufnr = buffer })
  local lenses = {}
  vim.wait(10000, function() lenses = vim.lsp.codelens.get(buffer); return #lenses > 0 end, 20)
  check('lens drawn', #lenses == 1 and lenses[1].command.title == '1 decision', vim.inspect(lenses))

  -- The call stands behind two emoji.
  local line = vim.api.nvim_buf_get_lines(buffer, 3, 4, false)[1]
  vim.api.nvim_win_set_cursor(0, { 4, line:find('charge', 1, true) + 1 })
  vim.lsp.buf.hover()
  local shown
  vim.wait(10000, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        shown = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
    return shown ~= nil
  end, 20)
  check('hover window', shown ~= nil and shown:find('Retries are off', 1, true) ~= nil, shown)

  client:stop()
  vim.wait(5000, function() return vim.lsp.get_client_by_id(id) == nil end, 20)
  check('stopped', vim.lsp.get_client_by_id(id) == nil)
end

local ok, err = xpcall(body, debug.traceback)
if not ok then check('no error', false, err) end
vim.cmd(failed > 0 and 'cquit 1' or 'qall!')
