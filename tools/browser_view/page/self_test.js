// With #test in its address the page tries itself, and writes what it finds into its document.
function selfTest() {}
