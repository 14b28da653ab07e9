//! What the help of `renga` shows behind its commands.

/// Commands, and what they do.
pub(super) const EXAMPLES: &str = "Examples:
  ./renga run                                   a shell on board a of a two-board cluster
  ./renga run -c 'ls | remote -b b sort'        one command; renga exits with its status
  ./renga run --kill b@2000 --restart b@3000    board b loses its power, and gets it back
  ./renga bench rendezvous                      what a rendezvous costs, in instructions
  ./renga sim --seeds 1000                      a thousand random clusters with faults
  ./renga check pair                            who runs where, and why no process can deadlock
  ./renga run --image dev                       with Debian's compilers and interpreters
  ./renga run --trace t -c ls; ./renga trace t  who called whom how often, and how long it took
  ./renga top t                                 the same run on a terminal
  ./renga image --list                          the images, their packages and sizes
  ./renga image --board pi3 --out cards         card images for two real boards
  ./renga test                                  all tests";
