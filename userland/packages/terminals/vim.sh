# What: an editor in a terminal of tmux: text typed, replaced and written
# Package: vim-tiny
# Expect: one renga two
export LC_ALL=C.UTF-8 TERM=xterm TMUX_TMPDIR=$PWD
tmux -f /dev/null new-session -d -x 80 -y 24 -s one 'vim.tiny -u NONE text; tmux wait-for -S done'
sleep 2
tmux send-keys -t one 'ione other two' Escape
sleep 1
tmux capture-pane -p -t one | head -n 2
tmux send-keys -t one ':s/other/renga/' Enter ':wq' Enter
timeout 20 tmux wait-for done
echo waited $?
cat text
