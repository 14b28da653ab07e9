# What: coroutines, strings, files and a child's output
# Package: lua5.4
# Expect: fib 6765
lua5.4 -e 'local function f(n) return n < 2 and n or f(n-1) + f(n-2) end print("fib " .. f(20))
local c = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(c(), c(), c())
local p = io.popen("echo child") print(p:read("a")) print(p:close())
local t = os.tmpname() local f = io.open(t, "w") f:write("x"):close() print(#io.open(t):read("a"), os.remove(t))'
