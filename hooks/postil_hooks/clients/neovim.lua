-- Postil's language server in Neovim 0.8 and newer. Written by `postil install neovim`; the server is
-- started beside those of each language, for files below a repository.
local command = { ["{postil}"] }

vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("postil", { clear = true }),
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    if vim.bo[event.buf].buftype ~= "" or file == "" then
      return
    end
    local found = vim.fs.find(".git", { upward = true, path = vim.fs.dirname(file) })[1]
    if found then
      vim.lsp.start({
        name = "postil",
        cmd = vim.list_extend(vim.deepcopy(command), { "lsp" }),
        root_dir = vim.fs.dirname(found),
      })
    end
  end,
})
