-- Neovim 0.7 or later, headless: starts the server for the text that is open, and prints what the editor sees of it.
local function fail(what)
    io.stdout:write("failed: " .. what .. "\n")
    vim.cmd("cquit 1")
end

local function wait(what, condition)
    if not vim.wait(60000, condition, 20) then
        fail(what)
    end
end

local function say(...)
    io.stdout:write(table.concat({ ... }, " ") .. "\n")
end

local function work()
    local buffer = vim.api.nvim_get_current_buf()
    local client = vim.lsp.start_client({
        name = "bmf",
        cmd = { vim.env.BMF, "language-server" },
        root_dir = vim.fn.getcwd(),
    })
    vim.lsp.buf_attach_client(buffer, client)
    wait("no diagnostic", function() return #vim.diagnostic.get(buffer) > 0 end)
    local error = vim.diagnostic.get(buffer)[1]
    say("error", (error.lnum + 1) .. ":" .. (error.col + 1), error.message)

    vim.api.nvim_buf_set_text(buffer, error.lnum, error.col, error.end_lnum, error.end_col, { "square" })
    wait("the error stays", function() return #vim.diagnostic.get(buffer) == 0 end)
    say("fixed")

    vim.api.nvim_win_set_cursor(0, { 2, 16 })
    local answers = vim.lsp.buf_request_sync(buffer, "textDocument/hover", vim.lsp.util.make_position_params(), 60000)
    local value = answers[client].result.contents.value
    say("hover", (value:match("```bmf\n(.-)\n```"):gsub("%( x %)", "(x)")))

    vim.lsp.buf.definition()
    wait("no jump", function() return vim.api.nvim_win_get_cursor(0)[1] == 1 end)
    local cursor = vim.api.nvim_win_get_cursor(0)
    say("jump", cursor[1] .. ":" .. (cursor[2] + 1))

    vim.lsp.buf.formatting_sync(nil, 60000)
    say("formatted", vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1])

    vim.api.nvim_win_set_cursor(0, { 1, 4 })
    vim.lsp.buf.rename("double")
    wait("no new name", function() return vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1]:find("double") end)
    say("renamed", vim.api.nvim_buf_get_lines(buffer, 1, 2, false)[1])

    vim.lsp.stop_client(client)
    wait("the server stays", function() return vim.lsp.client_is_stopped(client) end)
    vim.cmd("qall!")
end

vim.api.nvim_create_autocmd("VimEnter", {
    callback = function()
        vim.schedule(function()
            local good, message = pcall(work)
            if not good then
                fail(message)
            end
        end)
    end,
})
