# What: a session without a terminal: keys reach its shell, a pane is split, the screen is captured
# Package: tmux
# Expect: typed 42
# Differs: on Linux the captured screen lacks a line; not examined yet
export LC_ALL=C.UTF-8 TERM=xterm TMUX_TMPDIR=$PWD
tmux -f /dev/null new-session -d -x 80 -y 24 -s one 'PS1="> " sh'
echo started $?
tmux send-keys -t one 'echo typed $((6 * 7)) | tee out; tmux wait-for -S done' Enter
timeout 20 tmux wait-for done
echo waited $?
cat out
sleep 1
tmux capture-pane -p -t one | grep '^typed'
tmux split-window -h -t one 'exec sleep 1000'
tmux list-panes -t one -F '#{pane_index} #{pane_width}x#{pane_height} #{pane_current_command}' 
tmux new-window -t one -n two 'stty size > size; tmux wait-for -S sized'
timeout 20 tmux wait-for sized
cat size
tmux kill-server
echo ended $?
