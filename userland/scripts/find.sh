mkdir -p d/e/f; touch d/a.txt d/e/b.txt d/e/c.log d/e/f/d.txt; ln -s a.txt d/link
find d | sort; find d -name '*.txt' | sort; find d -type d | sort; find d -type l
find d -maxdepth 1 -type f | sort
find d -name '*.txt' -exec basename {} \; | sort
find d -name '*.log' -exec rm {} \; ; find d -type f | wc -l
find d -type f -print0 | xargs -0 -n 1 basename | sort
find d -empty | sort
