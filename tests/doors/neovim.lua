-- Opens refs.bib with the server, corrects the first finding and hovers; prints one JSON line. Run by test_neovim.py.
local command = vim.fn.json_decode(vim.env.CITECHECK_COMMAND)
vim.cmd("edit refs.bib")
local id = vim.lsp.start_client({ name = "citecheck", cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = vim.diagnostic.get(0)
local first = found[1]
local params = {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = first.user_data.lsp.range or { start = { line = first.lnum, character = first.col }, ["end"] = { line = first.lnum, character = first.col } },
  context = { diagnostics = { {
    range = { start = { line = first.lnum, character = first.col }, ["end"] = { line = first.end_lnum, character = first.end_col } },
    message = first.message, severity = first.severity, code = first.user_data.lsp.code, source = first.source,
    data = first.user_data.lsp.data,
  } } },
}
local client = vim.lsp.get_client_by_id(id)
local actions = client.request_sync("textDocument/codeAction", params, 30000, 0).result
local edited = "no correction"
for _, action in ipairs(actions) do
  if vim.startswith(action.title, "Correct") then
    local resolved = action.edit and action or client.request_sync("codeAction/resolve", action, 30000, 0).result
    vim.lsp.util.apply_workspace_edit(resolved.edit, client.offset_encoding)
    edited = action.title
    break
  end
end
vim.wait(60000, function() return #vim.diagnostic.get(0) < #found end, 50)
local hover = client.request_sync("textDocument/hover", {
  textDocument = params.textDocument, position = { line = first.lnum, character = 2 },
}, 30000, 0).result
io.stdout:write(vim.fn.json_encode({
  before = #found, after = #vim.diagnostic.get(0), code = first.user_data.lsp.code, edited = edited,
  line = vim.api.nvim_buf_get_lines(0, first.lnum, first.lnum + 1, false)[1], hover = hover.contents.value,
}) .. "\n")
vim.lsp.stop_client(id)
vim.wait(3000, function() return client.is_stopped() end, 50)
vim.cmd("qall!")
