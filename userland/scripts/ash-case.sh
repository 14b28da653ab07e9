for word in apple Banana 42 x.txt '' 'two words'; do
  case $word in
    [0-9]*) echo "number $word" ;;
    *.txt) echo "text $word" ;;
    [A-Z]*) echo "capital $word" ;;
    '') echo empty ;;
    *\ *) echo "spaced $word" ;;
    *) echo "other $word" ;;
  esac
done
